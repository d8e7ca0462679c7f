/** `live_XbnVgN…`: a masked value, shortened. */
export const shortMask = (mask: string): string => mask.replace(/\*+$/, '…');
