/** Comments of a file that is replaced by a new state. */
import { type Document, isMap, isNode, isScalar, isSeq, type YAMLMap } from 'yaml'

/** Copies the comments of a document to another, at each part and item that both have. */
export function copyComments(from: Document, to: Document): void {
  to.commentBefore = from.commentBefore ?? to.commentBefore
  to.comment = from.comment ?? to.comment
  copyAll(from.contents, to.contents)
}

function copyAll(from: unknown, to: unknown): void {
  if (!isNode(from) || !isNode(to)) return
  to.commentBefore ??= from.commentBefore
  to.comment ??= from.comment
  to.spaceBefore ??= from.spaceBefore
  if (isMap(from) && isMap(to)) {
    for (const { key, value } of from.items) {
      const pair = to.items.find((each) => String(each.key) === String(key))
      copyAll(key, pair?.key)
      copyAll(value, pair?.value)
    }
  }
  if (isSeq(from) && isSeq(to)) {
    for (const item of from.items) {
      const name = nameOf(item)
      copyAll(item, name && to.items.find((each) => nameOf(each) === name))
    }
  }
}

/** Which item of a list an entry is: by its ID, its name, its interval, or its text. */
function nameOf(item: unknown): string | undefined {
  if (isScalar(item)) return String(item.value)
  if (!isMap(item)) return undefined
  const at = ['product_id', 'name', 'title', 'frequency'].find((key) => item.has(key))
  return at && String((item as YAMLMap).get(at))
}
