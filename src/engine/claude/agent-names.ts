/** Names of the client's sub-agents as events carry them: `tester#1`, `tester#2`, `reviewer#1`. */
export class AgentNames {
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  /** The name of the sub-agent the client knows by `id`; the same for every call with it. */
  nameOf(id: string, kind: string): string {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    const name = `${kind}#${count}`;
    this.#counts.set(kind, count);
    this.#names.set(id, name);
    return name;
  }
}
