/** The native interface of Node 26: isolated-vm is built for it, and better-sqlite3 13 crashes below its own minimum. */
const neededAbi = "147";

/** What is wrong with the Node that runs this, and what to do; null on the right one. */
export function findNodeMistake(versions: { node: string; modules: string } = process.versions): string | null {
  if (versions.modules === neededAbi) return null;
  return (
    `Stepgate needs Node 26 (ABI ${neededAbi}) and was started on Node ${versions.node} (ABI ${versions.modules}). ` +
    "Start it with ./bin/stepgate or npm start, which use the Node that npm ci installed."
  );
}
