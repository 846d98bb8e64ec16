import type { Script } from '../../src/engine/scripted/server.ts';
import type { Turn } from '../../src/engine/scripted/turn.ts';

/** Something that is waited for until the test opens it. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export function makeGate(): Gate {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** These turns, of which the n-th (from 0) is answered only once the gate is open. After the last one it repeats. */
export function gatedScript(turns: readonly Turn[], at: number, gate: Gate): Script {
  return async ({ index }) => {
    if (index === at) await gate.opened;
    return turns[index] ?? turns.at(-1) ?? { text: 'done' };
  };
}
