import type { Script, ScriptedModel, ScriptedRequest } from '../../src/engine/scripted/server.ts';
import type { Turn } from '../../src/engine/scripted/turn.ts';

/** The turns of each task, by a word that stands in its prompt; a function gets the number of the turn. */
export type Tasks = Readonly<
  Record<string, readonly Turn[] | ((turn: number, request: ScriptedRequest) => Turn)>
>;

/** A script for several jobs in one world: each request is answered from the turns of the task it is about. */
export function byTask(tasks: Tasks): Script {
  return (request) => {
    const name = Object.keys(tasks).find((each) => promptOf(request).includes(each));
    const turns = name === undefined ? undefined : tasks[name];
    if (turns === undefined) return { text: 'done' };
    const turn = turnOf(request);
    const wanted = typeof turns === 'function' ? turns(turn, request) : (turns[turn] ?? turns.at(-1));
    return wanted ?? { text: 'done' };
  };
}

/** What the worker on this task was told before its n-th turn (from 0): results of its tools included. */
export function toldBefore(model: ScriptedModel, task: string, turn: number): string {
  const found = model.requests.filter(
    (request) => promptOf(request).includes(task) && turnOf(request) === turn,
  );
  return found.at(-1)?.text ?? '';
}

/** How many answers the history holds: nothing else tells the requests of parallel jobs apart. */
function turnOf(request: ScriptedRequest): number {
  return request.body.messages.filter(({ role }) => role === 'assistant').length;
}

function promptOf(request: ScriptedRequest): string {
  const first = request.body.messages.find(({ role }) => role === 'user');
  return JSON.stringify(first ?? '');
}
