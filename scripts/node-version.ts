const NEEDED = 24;

/** Exits with a message if this version of Node cannot run the TypeScript sources. */
export function requireNodeVersion(version: string = process.versions.node): void {
  if (Number.parseInt(version, 10) >= NEEDED) return;
  console.error(
    `Node ${version} is too old to run this script, which needs ${NEEDED} or newer. Run \`npm ci\`, which installs a newer Node, and start this through npm (\`npm test\`, \`npm run …\`), which uses it.`,
  );
  process.exit(1);
}
