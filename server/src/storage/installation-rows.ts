/** Names of the rows in `installation`. */

/** What the root secret of this database must derive. Its name is the lock of whoever makes the first rows. */
export const CHECK_VALUE = 'secret check value';

/** Written and deleted again to see whether the disk has space. */
export const SPACE_CHECK = 'space check';

/** How far a move into this database has come. */
export const MOVE = 'move';
