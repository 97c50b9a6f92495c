// A value with listeners for its changes.
export class Observable<T> {
  private current: T;
  private readonly listeners = new Set<() => void>();

  constructor(value: T) {
    this.current = value;
  }

  get value(): T {
    return this.current;
  }

  set(value: T): void {
    if (Object.is(value, this.current)) return;
    this.current = value;
    for (const listener of [...this.listeners]) listener();
  }

  get isHeard(): boolean {
    return this.listeners.size > 0;
  }

  // Returns a function that stops listening.
  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
