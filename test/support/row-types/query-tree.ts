/** A node of PostgreSQL's query tree, as `pg_proc.prosqlbody` prints it. */
export interface TreeNode {
  tag: string
  fields: Map<string, Tree>
}

export type Tree = TreeNode | Tree[] | string

/** Parses a `pg_node_tree`: `{TAG :field value …}`, `(list …)` and tokens. */
export function parseTree(text: string): Tree {
  const tokens = text.match(/[(){}]|"(?:\\.|[^"\\])*"|(?:\\.|[^\s(){}\\])+/g)!
  let next = 0
  const value = (): Tree => {
    const word = tokens[next++]!
    if (word === '(') {
      const list: Tree[] = []
      while (tokens[next] !== ')') list.push(value())
      next++
      return list
    }
    if (word !== '{') return word
    const tag = tokens[next++]!
    const fields = new Map<string, Tree>()
    while (tokens[next] !== '}') {
      const name = tokens[next++]!.slice(1)
      fields.set(name, value())
      // The bytes of a constant follow its length, in brackets.
      while (tokens[next] !== '}' && !tokens[next]!.startsWith(':')) next++
    }
    next++
    return { tag, fields }
  }
  return value()
}

/** A field that is a node. */
export function nodeOf(node: TreeNode, field: string): TreeNode | undefined {
  const value = node.fields.get(field)
  return value !== undefined && isNode(value) ? value : undefined
}

/** A field that is a list of nodes. */
export function nodesOf(node: TreeNode, field: string): TreeNode[] {
  const value = node.fields.get(field)
  return Array.isArray(value) ? value.filter(isNode) : []
}

/** A field that is a token or a number. */
export function wordOf(node: TreeNode, field: string): string {
  const value = node.fields.get(field)
  return typeof value === 'string' ? value.replaceAll(/\\(.)/g, '$1') : ''
}

function isNode(value: Tree): value is TreeNode {
  return typeof value === 'object' && !Array.isArray(value)
}
