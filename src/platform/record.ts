/** A record that has a value for each of the keys. */
export function recordFrom<Key extends string, Value>(
  keys: readonly Key[],
  read: (key: Key) => Value,
): Record<Key, Value> {
  // Every key is given its value.
  return Object.fromEntries(keys.map((key) => [key, read(key)])) as Record<Key, Value>
}

/**
 * The value of a record's own key; undefined for what every object inherits, such as `__proto__`.
 */
export function ownValue<Value>(
  record: Readonly<Record<string, Value>>,
  name: string | undefined,
): Value | undefined {
  return name !== undefined && Object.hasOwn(record, name) ? record[name] : undefined
}
