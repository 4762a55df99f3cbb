/** The key without the spaces and line breaks that a visitor may have pasted around it. */
export function trimKey(key: string): string {
  return typeof key === 'string' ? key.trim() : key
}
