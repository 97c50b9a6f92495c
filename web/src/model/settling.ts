const kQuietMs = 250;

// Acts once a value has stayed the same for a while. To see the same value again does not put that off, so it may be looked at in
// every frame.
export class Settling {
  private readonly quietMs: number;
  private readonly act: () => void;
  private value: string | null = null; // null: nothing to do
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(act: () => void, quietMs = kQuietMs) {
    this.quietMs = quietMs;
    this.act = act;
  }

  see(value: string): void {
    if (value === this.value) return;
    this.stop();
    this.value = value;
    this.timer = setTimeout(() => {
      this.stop();
      this.act();
    }, this.quietMs);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.value = null;
  }
}
