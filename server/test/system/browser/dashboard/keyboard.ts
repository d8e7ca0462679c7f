import type { Locator, Page } from 'playwright-core';

const STOPS_MAX = 80;

/** Moves the focus with the Tab key only, as users without a mouse do. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  const isFocused = () =>
    target.evaluate((element) => element === element.ownerDocument.activeElement);
  for (let stop = 0; !(await isFocused()); stop++) {
    if (stop === STOPS_MAX) throw new Error(`The Tab key does not lead to ${target}.`);
    await page.keyboard.press('Tab');
  }
}

/** Replaces the text of a field without a mouse. */
export async function typeInto(page: Page, field: Locator, text: string): Promise<void> {
  await tabTo(page, field);
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
}

export async function pressOn(page: Page, control: Locator): Promise<void> {
  await tabTo(page, control);
  await page.keyboard.press('Enter');
}
