import type { Locator, Page } from 'playwright-core';

const STOPS_MAX = 80;

/** Goes there with the Tab key alone, as somebody without a mouse does. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  await wanted.waitFor();
  const isFocused = () =>
    wanted.evaluate((element) => element === element.ownerDocument.activeElement);
  for (let stop = 0; !(await isFocused()); stop++) {
    if (stop === STOPS_MAX) throw new Error(`The Tab key does not lead to ${wanted}.`);
    await page.keyboard.press('Tab');
  }
}

/** Fills a field without a mouse; what stood there goes. */
export async function typeInto(page: Page, field: Locator, text: string): Promise<void> {
  await tabTo(page, field);
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
}

export async function pressOn(page: Page, control: Locator): Promise<void> {
  await tabTo(page, control);
  await page.keyboard.press('Enter');
}
