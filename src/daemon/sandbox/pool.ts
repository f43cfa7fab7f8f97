import type { ScriptAnswer, ScriptCall } from "./message.ts";
import { type SandboxChild, startSandboxChild } from "./start-child.ts";

export type PoolCall = Omit<ScriptCall, "id"> & {
  /** Its abort ends the call and the process that runs it. */
  signal?: AbortSignal;
  /** Milliseconds that it may take once it runs. */
  maxMs?: number;
  log?(text: string): void;
};

export type SandboxPool = {
  /** Runs a script in a child that has nothing else to do; waits for one when all are busy. Answers always. */
  run(call: PoolCall): Promise<ScriptAnswer>;
  /** Ends every child at once; calls that are open or come later are `lost`. */
  stop(): void;
};

/** A member that has had its calls stays until its successor has started. */
type Member = { child: SandboxChild; calls: number; successor: Member | null };
type Waiting = { call: PoolCall; settle: (answer: ScriptAnswer) => void };

/** Children that are kept once the first script has run. */
const warm = 2;
/** Scripts that run side by side: each further one that sleeps or computes needs a process of its own. */
const most = 16;
/** How long a call waits for a child before one more is started. */
const patienceMs = 50;
/** How long a child beyond the warm ones stays without work. */
const lingerMs = 10_000;
/** Calls after which a child is replaced, as soon as its successor has started. */
const maxCalls = 100;

/** Starts no process before the first call. A child is replaced after a script that failed in it, and now and then. */
export function createSandboxPool(start: () => SandboxChild = startSandboxChild): SandboxPool {
  return new Pool(start);
}

class Pool implements SandboxPool {
  readonly #start: () => SandboxChild;
  readonly #members = new Set<Member>();
  /** The one that was used longest ago comes first: it has made its next isolate by now. */
  readonly #idle: Member[] = [];
  readonly #queue: Waiting[] = [];
  #growth: NodeJS.Timeout | null = null;
  #isStopped = false;

  constructor(start: () => SandboxChild) {
    this.#start = start;
  }

  async run(call: PoolCall): Promise<ScriptAnswer> {
    if (this.#isStopped || call.signal?.aborted) return lost;
    const { promise, resolve } = Promise.withResolvers<ScriptAnswer>();
    const waiting = { call, settle: resolve };
    const abort = (): void => {
      const place = this.#queue.indexOf(waiting);
      if (place === -1) return;
      this.#queue.splice(place, 1);
      resolve(lost);
    };
    call.signal?.addEventListener("abort", abort, { once: true });
    this.#queue.push(waiting);
    this.#serve();
    const answer = await promise;
    call.signal?.removeEventListener("abort", abort);
    return answer;
  }

  stop(): void {
    this.#isStopped = true;
    if (this.#growth) clearTimeout(this.#growth);
    for (const { settle } of this.#queue.splice(0)) settle(lost);
    for (const { child } of this.#members) child.stop();
    this.#members.clear();
    this.#idle.length = 0;
  }

  /** Gives what waits to who is idle. */
  #serve(): void {
    if (this.#isStopped) return;
    // One that has ended by itself harms nobody's script.
    for (const member of this.#idle.filter(({ child }) => child.isGone)) this.#retire(member);
    while (this.#members.size < warm) this.#add();
    for (let member = this.#nextIdle(); member; member = this.#nextIdle()) {
      const waiting = this.#queue.shift();
      if (waiting) void this.#execute(member, waiting);
    }
    if (this.#queue.length === 0 || this.#growth || this.#members.size >= most) return;
    this.#growth = setTimeout(() => {
      this.#growth = null;
      if (this.#queue.length > 0) this.#add();
      this.#serve();
    }, patienceMs);
  }

  /** One that is still starting is asked last: its first call would wait for that. */
  #nextIdle(): Member | undefined {
    if (this.#queue.length === 0) return undefined;
    const ready = this.#idle.findIndex(({ child }) => child.isReady);
    return this.#idle.splice(Math.max(0, ready), 1)[0];
  }

  #add(): Member {
    const member = { child: this.#start(), calls: 0, successor: null };
    this.#members.add(member);
    this.#idle.push(member);
    return member;
  }

  async #execute(member: Member, { call, settle }: Waiting): Promise<void> {
    const { signal, maxMs, log, ...script } = call;
    const abort = (): void => member.child.stop(lost.reason);
    signal?.addEventListener("abort", abort, { once: true });
    const overrun = () => member.child.stop(`The script does not finish within ${(maxMs ?? 0) / 1000} s`);
    const timer = maxMs === undefined ? null : setTimeout(overrun, maxMs);
    const answer = await member.child.run(script, log);
    if (timer) clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
    settle(answer);
    member.calls += 1;
    if (!isReusable(answer) || member.child.isSlowed || this.#isSucceeded(member)) this.#remove(member);
    else this.#rest(member);
    this.#serve();
  }

  /** Whether a member has had its calls and another one can take its place; that one is started first. */
  #isSucceeded(member: Member): boolean {
    if (member.calls < maxCalls) return false;
    if (!member.successor || member.successor.child.isGone) member.successor = this.#add();
    return member.successor.child.isReady;
  }

  #rest(member: Member): void {
    if (!this.#members.has(member)) return;
    this.#idle.push(member);
    if (this.#members.size <= warm) return;
    const { calls } = member;
    setTimeout(() => {
      if (member.calls === calls && this.#members.size > warm) this.#retire(member);
    }, lingerMs).unref();
  }

  /** Takes away a member that has no call. */
  #retire(member: Member): void {
    const place = this.#idle.indexOf(member);
    if (place === -1) return;
    this.#idle.splice(place, 1);
    this.#remove(member);
  }

  #remove(member: Member): void {
    this.#members.delete(member);
    member.child.stop();
  }
}

const lost = { kind: "lost", reason: "The script was aborted" } satisfies ScriptAnswer;

/** What a failed script leaves may go on burning in native code after its isolate is gone (measured). */
function isReusable(answer: ScriptAnswer): boolean {
  return answer.kind === "result" || (answer.kind === "failure" && answer.error.stage === "compile");
}
