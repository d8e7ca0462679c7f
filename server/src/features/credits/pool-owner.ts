/** The owner of a pool: a key and its rotations (`limit_group`), or a customer (`customAccountId`). */
export interface PoolOwner {
  readonly accountId: string;
  readonly projectId: string;
  readonly ownerType: 'key' | 'customer';
  readonly owner: string;
}

/** Identifies a pool in memory and in messages; contains no spaces. */
export const poolName = ({ projectId, ownerType, owner }: Omit<PoolOwner, 'accountId'>): string =>
  `${projectId}:${ownerType}:${encodeURIComponent(owner.toWellFormed())}`;

/** The owner that a name identifies; null if it is not the name of a pool. */
export function poolOwner(name: string, accountId: string): PoolOwner | null {
  const [, projectId, ownerType, owner] = /^(prj_\w+):(key|customer):(\S+)$/.exec(name) ?? [];
  if (projectId === undefined || owner === undefined) return null;
  try {
    const isKey = ownerType === 'key';
    return {
      accountId,
      projectId,
      ownerType: isKey ? 'key' : 'customer',
      owner: decodeURIComponent(owner),
    };
  } catch {
    return null;
  }
}

/** The columns that identify the pool of an owner, and its blocks. */
export const ownerColumns = ({ projectId, ownerType, owner }: Omit<PoolOwner, 'accountId'>) => ({
  project_id: projectId,
  owner_type: ownerType,
  owner,
});
