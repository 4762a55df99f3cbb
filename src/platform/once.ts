/** Computes a value when it is first needed, and returns the same one from then on. */
export function once<Value>(compute: () => Value): () => Value {
  let done: { value: Value } | undefined
  return () => {
    done ??= { value: compute() }
    return done.value
  }
}
