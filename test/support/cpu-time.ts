/**
 * The milliseconds of CPU that a piece of work takes this process, the least of several rounds. For tests that something
 * is linear: unlike the clock it does not count what other processes do on a busy machine.
 */
export function leastCpuMs(work: () => unknown, rounds = 3): number {
  const times = Array.from({ length: rounds }, () => {
    const before = process.cpuUsage();
    work();
    return process.cpuUsage(before).user / 1000;
  });
  return Math.min(...times);
}
