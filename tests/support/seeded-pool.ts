/** How many points are played at once, and which. */
/** Works through a list with so many at once. */
export async function inPool<Item>(items: readonly Item[], width: number, work: (item: Item) => Promise<void>) {
  const queue = [...items];
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

/** A seeded choice without an order of its own: the same seed gives the same points. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
