import { expect, it } from 'vitest';
import { flameOf } from './flame.ts';
import { flameChart } from './svg/flame-chart.ts';

const frame = (functionName: string) => ({ functionName, url: '', lineNumber: 0 });
const profile = {
  nodes: [
    { id: 1, callFrame: frame('(root)'), children: [2, 4, 5] },
    { id: 2, callFrame: frame('answer'), children: [3] },
    { id: 3, callFrame: frame('write <head>') },
    { id: 4, callFrame: frame('(idle)') },
    { id: 5, callFrame: frame('flush') },
  ],
  samples: [2, 3, 3, 4, 5],
  timeDeltas: [10, 20, 30, 1_000, 40],
};

it('adds up who called whom, and leaves out idle time', () => {
  expect(flameOf(profile)).toEqual({
    name: 'all',
    time: 100,
    called: [
      { name: 'answer', time: 60, called: [{ name: 'write <head>', time: 50, called: [] }] },
      { name: 'flush', time: 40, called: [] },
    ],
  });
});

it('is drawn with its names made harmless', () => {
  const picture = flameChart('Title', 'Subtitle', flameOf(profile));
  expect(picture).toContain('write &#60;head&#62;: 50.0 %');
  expect(picture).not.toContain('<head>');
});
