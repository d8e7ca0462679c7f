import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DashboardBrowser, type DashboardPage, startDashboard } from '../dashboard-browser.ts';

const KEYS = 450;
const nameAt = (index: number) => `Key ${String(index).padStart(3, '0')}`;

let dashboard: DashboardBrowser;
let opened: DashboardPage;
beforeAll(async () => {
  dashboard = await startDashboard();
  for (let index = 0; index < KEYS; index++)
    await dashboard.test.client.post('/api-keys', { name: nameAt(index) });
});
afterAll(() => dashboard?.close());

beforeEach(async () => {
  opened = await dashboard.open(`/p/${dashboard.test.projectId}/keys?sort=name&order=ascending`);
  await row(0).waitFor();
  return () => expect(opened.failures).toEqual([]);
});

const row = (index: number) => opened.page.locator(`[data-index="${index}"]`);
const scrollTo = (top: number) =>
  opened.page.evaluate(`document.querySelector('[role=grid]').scrollTop = ${top}`);
const focusedIndex = () => opened.page.evaluate('document.activeElement?.dataset.index');

interface RenderedRow {
  readonly index: number;
  readonly rowIndex: number;
  readonly name: string;
  readonly isSelected: boolean;
}
/** The rows in document order, as a screen reader reads them. */
const renderedRows = (): Promise<RenderedRow[]> =>
  opened.page.evaluate(`[...document.querySelectorAll('[data-index]')].map((row) => ({
    index: Number(row.dataset.index),
    rowIndex: Number(row.getAttribute('aria-rowindex')),
    name: row.querySelector('a').textContent,
    isSelected: row.querySelector('input').checked && row.ariaSelected === 'true',
  }))`);

/** Scrolls screen by screen until the row is rendered. */
async function scrollUntil(index: number) {
  for (let top = 0; (await row(index).count()) === 0; top += 500) {
    await scrollTo(top);
    await opened.page.evaluate('new Promise((done) => requestAnimationFrame(done))');
  }
}

describe('long list', () => {
  it('is loaded while scrolling, and every row shows the right key', async () => {
    await scrollUntil(KEYS - 1);
    expect(await row(KEYS).count()).toBe(0);
    const rows = await renderedRows();
    expect(rows.length).toBeLessThan(60);
    expect(rows.map(({ index }) => index)).toEqual(
      rows.map(({ index }) => index).toSorted((a, b) => a - b),
    );
    for (const { index, rowIndex, name } of rows) {
      expect(name).toBe(nameAt(index));
      expect(rowIndex).toBe(index + 2);
    }
  });

  it('keeps a checkbox with its row', async () => {
    await row(2).getByRole('checkbox').check();
    await opened.page.locator('body').click({ position: { x: 1, y: 1 } });
    await scrollUntil(150);
    expect((await renderedRows()).filter(({ isSelected }) => isSelected)).toEqual([]);
    await scrollTo(0);
    await row(2).waitFor();
    const selected = (await renderedRows()).filter(({ isSelected }) => isSelected);
    expect(selected.map(({ name }) => name)).toEqual([nameAt(2)]);
  });

  it('keeps the focus with its row', async () => {
    await row(3).focus();
    await scrollUntil(150);
    expect(await focusedIndex()).toBe('3');
    expect((await renderedRows()).find(({ index }) => index === 3)?.name).toBe(nameAt(3));
    await opened.page.keyboard.press('ArrowDown');
    await expect.poll(focusedIndex).toBe('4');
    await expect
      .poll(() => opened.page.evaluate("document.querySelector('[role=grid]').scrollTop"))
      .toBeLessThan(44 * 5);
    await opened.page.keyboard.press('End');
    // The last row that is loaded.
    await expect.poll(async () => Number(await focusedIndex())).toBeGreaterThan(150);
  });
});
