import type { Messages } from '../text/en.ts';

const NAME_LENGTH_MAX = 256;
const DAY_MS = 86_400_000;

/** Choices for the expiry of a new key. */
export const EXPIRY_DAYS = [30, 90, 365];

/** An error message, or null. */
export function checkName(name: string, form: Messages['form']): string | null {
  if (name.trim() === '') return form.nameMissing;
  return name.trim().length > NAME_LENGTH_MAX ? form.nameTooLong : null;
}

/** A key works until the end of the chosen day, in the time zone of the browser. */
const endOfDay = (date: string): number => new Date(`${date}T23:59:59`).getTime();

export const checkDate = (date: string, now: number, form: Messages['form']): string | null =>
  endOfDay(date) > now ? null : form.expiryPast;

/** `choice` is `never`, `date` or a number of days. */
export function expiryOf(choice: string, date: string, now: number): string | null {
  if (choice === 'never') return null;
  const at = choice === 'date' ? endOfDay(date) : now + Number(choice) * DAY_MS;
  return new Date(at).toISOString();
}
