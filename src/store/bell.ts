import { watch } from 'node:fs';

/** Rings when something in a folder changes. Where a folder cannot be watched, only the time-out wakes. */
export class Bell {
  #ring: (() => void) | null = null;
  #rang = false;
  readonly #close: () => void;

  constructor(folder: string) {
    this.#close = watchFolder(folder, () => this.ring());
  }

  /** Resolves with the next ring, at once if it rang since the last wait; after `timeoutMs` at the latest. */
  rung(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#ring = null;
        this.#rang = false;
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      this.#ring = done;
      if (this.#rang) done();
    });
  }

  ring(): void {
    this.#rang = true;
    this.#ring?.();
  }

  close(): void {
    this.#close();
  }
}

function watchFolder(folder: string, onChange: () => void): () => void {
  try {
    const watcher = watch(folder, onChange);
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    // Whoever waits looks by itself now and then, which is enough where a folder cannot be watched.
    return () => undefined;
  }
}
