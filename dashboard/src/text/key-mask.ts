/** `live_XbnVgN…`: the mask of a value without its row of asterisks. */
export const shortMask = (mask: string): string => mask.replace(/\*+$/, '…');
