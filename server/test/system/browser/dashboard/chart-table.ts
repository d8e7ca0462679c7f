import type { Page } from 'playwright-core';

/** Sums of the first `columns` columns of the chart as a table, over all its rows. */
export async function tableTotals(page: Page, columns: number): Promise<number[]> {
  const table = page.getByRole('table', { name: 'Validations by outcome' });
  const totals: number[] = [];
  for (let n = 1; n <= columns; n++) {
    const cells = await table.locator(`td:nth-of-type(${n})`).allTextContents();
    totals.push(cells.reduce((sum, text) => sum + Number(text), 0));
  }
  return totals;
}
