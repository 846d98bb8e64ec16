import type { ModelRef, RunSpec } from '../engine.ts';
import type { ClaudeOptions } from './options.ts';

/** The sub-agents there are, what each may use, and what it is told. */
const ROLES = {
  implementer: {
    tools: ['Bash', 'Read', 'Edit', 'Write', 'Glob', 'Grep'],
    description: 'Writes code for one well-defined part of the task.',
    prompt:
      'You implement one part of a larger task. Do exactly what you are asked, keep to the style of the code around it, run what shows that it works, and end with a short report: what you changed, and what is open.',
  },
  tester: {
    tools: ['Bash', 'Read', 'Edit', 'Write', 'Glob', 'Grep'],
    description: 'Writes and runs tests for code that is there.',
    prompt:
      'You write and run tests for a part of a larger task. Change tests only, never the code they test. End with a short report: what is covered, what fails, and why.',
  },
  reviewer: {
    tools: ['Read', 'Glob', 'Grep'],
    description: 'Reads a change and says what is wrong with it. Changes nothing.',
    prompt:
      'You review a change critically. Read what matters, judge correctness first, and end with a list of findings, each with file, line and reason. If nothing is wrong, say so.',
  },
} as const;

export type SubAgentRole = keyof typeof ROLES;
const NAMES = Object.keys(ROLES) as SubAgentRole[];

/** A name the client asks for, whose calls these are, and the models that answer, in order. */
export interface NamedModels {
  readonly name: string;
  readonly role: NonNullable<RunSpec['role']>;
  readonly agent: string;
  readonly models: readonly [ModelRef, ...ModelRef[]];
}

export interface ModelNames {
  readonly main: NamedModels;
  readonly small: NamedModels | null;
  readonly subAgents: readonly (NamedModels & { readonly role: SubAgentRole })[];
}

/** All names the client may ask for. The first is the primary's own; the others cannot be the name of a model. */
export function modelNames(
  spec: Pick<RunSpec, 'models' | 'role' | 'agent'>,
  options: Pick<ClaudeOptions, 'small' | 'roles'>,
): ModelNames {
  const [primary] = spec.models;
  const { role = 'worker', agent = 'main' } = spec;
  const { small } = options;
  return {
    main: { name: primary.model, role, agent, models: spec.models },
    small: small && { name: `${small.model}@small`, role, agent, models: [small] },
    subAgents: NAMES.map((name) => {
      const own = options.roles[name];
      const models = own === undefined ? spec.models : ([own] as const);
      return { name: `${models[0].model}@${name}`, role: name, agent: name, models };
    }),
  };
}

/** The client's `--agents` file. A sub-agent has no tool its parent has not. */
export function agentsText(
  named: readonly { readonly name: string; readonly role: SubAgentRole }[],
  tools: readonly string[],
): string {
  const agents = named.map(({ name, role }) => {
    const { description, prompt, tools: own } = ROLES[role];
    return [role, { description, prompt, tools: own.filter((tool) => tools.includes(tool)), model: name }];
  });
  return `${JSON.stringify(Object.fromEntries(agents))}\n`;
}
