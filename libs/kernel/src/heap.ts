/** Binary heap with an index by key: push, update and remove by key in O(log n). `less` orders the head first. */
export class KeyedHeap<T> {
  private readonly items: T[] = [];
  private readonly places = new Map<string, number>();

  constructor(
    private readonly keyOf: (item: T) => string,
    private readonly less: (a: T, b: T) => boolean,
  ) {}

  get size(): number {
    return this.items.length;
  }

  peek(): T | undefined {
    return this.items[0];
  }

  get(key: string): T | undefined {
    const place = this.places.get(key);
    return place === undefined ? undefined : this.items[place];
  }

  has(key: string): boolean {
    return this.places.has(key);
  }

  /** Adds the item, or replaces the one with its key and restores the order. */
  set(item: T): void {
    const key = this.keyOf(item);
    const place = this.places.get(key) ?? this.items.length;
    this.items[place] = item;
    this.places.set(key, place);
    this.sink(this.rise(place));
  }

  pop(): T | undefined {
    const head = this.items[0];
    if (head !== undefined) this.delete(this.keyOf(head));
    return head;
  }

  delete(key: string): T | undefined {
    const place = this.places.get(key);
    if (place === undefined) return undefined;
    const removed = this.items[place] as T;
    const last = this.items.pop() as T;
    this.places.delete(key);
    if (place < this.items.length) {
      this.items[place] = last;
      this.places.set(this.keyOf(last), place);
      this.sink(this.rise(place));
    }
    return removed;
  }

  /** All items, in no order. */
  values(): readonly T[] {
    return this.items;
  }

  private rise(start: number): number {
    let place = start;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!this.less(this.items[place] as T, this.items[parent] as T)) break;
      this.swap(place, parent);
      place = parent;
    }
    return place;
  }

  private sink(start: number): void {
    let place = start;
    for (;;) {
      const left = 2 * place + 1;
      const right = left + 1;
      let first = place;
      if (left < this.items.length && this.less(this.items[left] as T, this.items[first] as T)) first = left;
      if (right < this.items.length && this.less(this.items[right] as T, this.items[first] as T)) first = right;
      if (first === place) return;
      this.swap(place, first);
      place = first;
    }
  }

  private swap(a: number, b: number): void {
    const one = this.items[a] as T;
    const other = this.items[b] as T;
    this.items[a] = other;
    this.items[b] = one;
    this.places.set(this.keyOf(other), a);
    this.places.set(this.keyOf(one), b);
  }
}
