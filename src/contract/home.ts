/** Where a daemon keeps its files. */
export type Home = {
  dataDir: string;
  configDir: string;
  stateDir: string;
  cacheDir: string;
  /** Holds the socket, the lock and `daemon.json`. */
  runDir: string;
  database: string;
  /** Seals the originals of redacted payloads. */
  masterKey: string;
  /** The control channel: a Unix domain socket, or a named pipe on Windows. */
  socket: string;
  lock: string;
  daemonFile: string;
  logFile: string;
};
