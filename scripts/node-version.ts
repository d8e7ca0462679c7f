const NEEDED = 24;

/** Ends the process with one line on a Node that cannot run the repository as it is. */
export function demandNode(version: string = process.versions.node): void {
  if (Number.parseInt(version, 10) >= NEEDED) return;
  console.error(
    `Node ${version} is too old: Keyward needs ${NEEDED} or newer. Run it as \`npm test\` after \`npm ci\`, which brings its own.`,
  );
  process.exit(1);
}
