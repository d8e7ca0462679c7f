/** Shown in the API reference: the real one depends on the day. */
export const STATEMENT_EXAMPLE = {
  from: '2030-01-01',
  to: '2030-01-31',
  opening: 120,
  refilled: 1_000,
  purchased: 500,
  bonus: 0,
  adjusted: 0,
  expired: 40,
  consumed: 960,
  closing: 620,
  entries: [
    {
      date: '2030-01-01',
      kind: 'refilled',
      amount: 1_000,
      grant: 'gr_01jz5n8w3e7xk2m4q6s8v0y1zk',
      note: null,
    },
    { date: '2030-01-01', kind: 'consumed', amount: 960, grant: null, note: null },
    {
      date: '2030-01-04',
      kind: 'purchased',
      amount: 500,
      grant: 'gr_01jz5n8w3e7xk2m4q6s8v0y1zm',
      note: 'Invoice 1742',
    },
    {
      date: '2030-01-31',
      kind: 'expired',
      amount: 40,
      grant: 'gr_01jz5n8w3e7xk2m4q6s8v0y1zk',
      note: null,
    },
  ],
};
