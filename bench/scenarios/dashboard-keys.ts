import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../../server/test/e2e/browser.ts';
import { longest, type MainThreadTask, mainThreadTasks, TRACED } from '../browser-trace.ts';
import { freshDataset } from '../dataset.ts';
import { ACCESS_KEY, startServer } from '../keyward-server.ts';
import { row } from '../rows.ts';
import type { Scenario } from '../scenario.ts';

const LOADS = 5;
/** Each in a page of its own: a machine that pauses makes a long task of any. */
const SCROLLS = 3;
const FRAMES = 150;
/** Nine rows from one frame to the next: 24,000 pixels a second, more than a hand flings. */
const STEP_PX = 400;

/** The page of a project with very many keys: until it can be used, and while it is scrolled. */
export const dashboardKeys: Scenario = async (bench) => {
  const dataset = await freshDataset(bench.scale.listedKeys);
  const server = await startServer(dataset.folder);
  const browser = await launchBrowser();
  try {
    const origin = `http://127.0.0.1:${server.port}`;
    const headers = { 'x-api-key': ACCESS_KEY };
    const answer = await fetch(`${origin}/projects`, { headers });
    const [project] = (await answer.json()) as { id: string }[];
    const address = `${origin}/dashboard/p/${project!.id}/keys`;
    const interactive: number[] = [];
    for (let load = 0; load < LOADS; load++) {
      const page = await freshPage(browser);
      interactive.push(await interactiveAfter(page, address));
      await page.context().close();
    }
    const scrolled: Scrolled[] = [];
    for (let n = 0; n < SCROLLS; n++) {
      const page = await freshPage(browser);
      await interactiveAfter(page, address);
      scrolled.push(await scroll(browser, page));
      await page.context().close();
    }
    const longestBy = (time: 'cpuMs' | 'wallMs') =>
      scrolled.map(({ tasks }) => longest(tasks, time));
    const page = await freshPage(browser);
    await interactiveAfter(page, address);
    const answers = [];
    for (const search of ['Key+99', 'no+such+key']) answers.push(await searched(page, search));
    const keys = bench.scale.listedKeys.toLocaleString('en-GB');
    return [
      row(`keys page, ${keys} keys: interactive`, 'ms', interactive, { atMost: 1_000 }),
      row('keys page: longest task while scrolling', 'ms', longestBy('cpuMs'), { atMost: 50 }),
      row('keys page: the same with waiting for the processor', 'ms', longestBy('wallMs')),
      row(
        'keys page: rows loaded while scrolling',
        'rows',
        scrolled.map(({ rows }) => rows),
      ),
      row('keys page: search that finds', 'ms', answers[0]!),
      row('keys page: search that finds nothing', 'ms', answers[1]!),
    ];
  } finally {
    await browser.close();
    await server.stop();
    dataset.remove();
  }
};

/** Without a cache, as on a first visit. */
async function freshPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    extraHTTPHeaders: { 'x-api-key': ACCESS_KEY },
  });
  return context.newPage();
}

/** From the start of the navigation until a row is drawn and the page answers to input. */
async function interactiveAfter(page: Page, address: string): Promise<number> {
  await page.goto(address, { waitUntil: 'commit' });
  await page.locator('[data-index="0"]').waitFor();
  return page.evaluate(
    'new Promise((done) => requestIdleCallback(() => done(performance.now()), { timeout: 5000 }))',
  );
}

interface Scrolled {
  readonly tasks: MainThreadTask[];
  readonly rows: number;
}

/** Scrolls on from frame to frame, under a trace; pages are loaded on the way. */
async function scroll(browser: Browser, page: Page): Promise<Scrolled> {
  await browser.startTracing(page, { categories: TRACED });
  const rows: number = await page.evaluate(`new Promise((done) => {
    const grid = document.querySelector('[role=grid]');
    let left = ${FRAMES};
    requestAnimationFrame(function frame() {
      grid.scrollTop += ${STEP_PX};
      left -= 1;
      if (left > 0) requestAnimationFrame(frame);
      else done(Math.round(grid.scrollHeight / 44));
    });
  })`);
  return { tasks: mainThreadTasks(await browser.stopTracing()), rows };
}

/** From the last letter until what was found is shown. */
async function searched(page: Page, text: string): Promise<number> {
  const answered = page.waitForResponse((response) => response.url().includes(`search=${text}`));
  const startedAt = performance.now();
  await page.getByRole('searchbox').fill(text.replaceAll('+', ' '));
  await (await answered).finished();
  await page.evaluate('new Promise((done) => requestAnimationFrame(done))');
  return performance.now() - startedAt;
}
