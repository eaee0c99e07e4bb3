/** Owns making something on first use and only once. */

/** `started` tells whether it has been made, without making it. */
export function once<T>(make: () => T): (() => T) & { started: () => boolean } {
  let made: { value: T } | undefined;
  const get = (): T => {
    made ??= { value: make() };
    return made.value;
  };
  return Object.assign(get, { started: () => made !== undefined });
}
