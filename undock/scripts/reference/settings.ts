import {
  bare,
  cell,
  codeCell,
  constantsOf,
  type Node,
  nameOf,
  nodeOf,
  nodesOf,
  readSource,
  type Source,
} from './source.ts'

/** @property path Such as `serve.port`; `<name>` where the project chooses the name. */
type Field = { readonly path: string; readonly kind: string; readonly preset: string; readonly doc: string }

/** What the functions of config/schema/fields.ts read. */
const KINDS: Readonly<Record<string, string>> = {
  flag: '`true` or `false`',
  optionalFlag: '`true` or `false`',
  count: 'whole number',
  optionalCount: 'whole number',
  port: 'port',
  text: 'text',
  optionalText: 'text',
  textEntry: 'text',
  list: 'list of texts',
  duration: 'duration, such as `"30s"`',
  undockDuration: 'seconds, or a duration such as `"30s"`',
  size: 'bytes, or a size such as `"50MiB"`',
  dictionary: 'table of texts',
  unknown: 'not read here',
  array: 'list of tables',
  record: 'table',
}

type Found = { readonly source: Source; readonly node: Node }

/** Reads the keys of a settings file from the schema's own code, with defaults and comments.
 *  @param files The modules of the schema. @param root The constant that holds all of it. */
export function fieldsOf(files: readonly string[], root: string): Field[] {
  const known = new Map<string, Found>(
    files
      .map(readSource)
      .flatMap((source) => [...constantsOf(source)].map(([name, node]) => [name, { source, node }] as const)),
  )
  const resolve = ({ source, node }: Found): Found => {
    const found = node.type === 'Identifier' ? known.get(nameOf(node)) : undefined
    return found ? resolve(found) : { source, node: bare(node) }
  }

  function* fields(given: Found, path: readonly string[], doc: string): Generator<Field> {
    const { source, node } = resolve(given)
    if (node.type === 'ObjectExpression') {
      for (const one of nodesOf(node, 'properties')) {
        const inner = nodeOf(one, one.type === 'SpreadElement' ? 'argument' : 'value')
        if (inner === null) continue
        const name = nameOf(nodeOf(one, 'key'))
        if (one.type === 'SpreadElement') yield* fields({ source, node: inner }, path, doc)
        else yield* fields({ source, node: inner }, [...path, name], source.docBefore(one) || docOf(source, inner))
      }
      return
    }
    const call = node.type === 'CallExpression' ? readCall({ source, node }) : null
    if (call === null) return
    const { name, given: arguments_ } = call
    const [first] = arguments_
    const helper = known.get(name)
    if (helper?.node.type === 'ArrowFunctionExpression') {
      const body = nodeOf(helper.node, 'body')
      if (body) yield* fields({ source: helper.source, node: body }, path, doc)
    } else if (/^(?:table|optionalTable|strictObject|looseObject)$/.test(name) && first)
      yield* fields({ source, node: first }, path, doc)
    else if (name === 'named' && first) yield* fields({ source, node: first }, [...path, '<name>'], doc)
    else if (path.length > 0) yield fieldOf({ source, node }, call, path, doc)
  }

  /** The comment of a constant that a key refers to. */
  function docOf(source: Source, inner: Node): string {
    const found = inner.type === 'Identifier' ? known.get(nameOf(inner)) : undefined
    const statement = found?.source.body.find(
      ({ start, end }) => found !== undefined && start <= found.node.start && found.node.end <= end,
    )
    return found && statement ? found.source.docBefore(statement) : source.docBefore(inner)
  }

  function fieldOf({ source }: Found, { name, given }: Call, path: readonly string[], doc: string): Field {
    const [first, second] = given
    const isChoice = /choice$/i.test(name)
    const options = isChoice && first ? nodesOf(first, 'elements').map((one) => `\`${nameOf(one)}\``) : []
    const preset = isChoice ? second : first
    const resolved = preset && resolve({ source, node: preset })
    return {
      path: path.join('.'),
      kind: isChoice ? options.filter((one) => one !== '``').join(', ') : (KINDS[name] ?? name),
      preset: resolved && !/^(?:record|array|unknown)$/.test(name) ? presetText(resolved, name) : '',
      doc,
    }
  }

  const start = known.get(root)
  if (!start) throw new Error(`There is no constant ${root} in ${files.join(', ')}`)
  return [...fields(start, [], '')]
}

type Call = { readonly name: string; readonly given: readonly Node[] }

/** The function that a call begins with: `record` in `z.record(…).default(…)`. */
function readCall({ node }: Found): Call | null {
  const callee = nodeOf(node, 'callee')
  if (callee?.type === 'Identifier') return { name: nameOf(callee), given: nodesOf(node, 'arguments') }
  if (callee?.type !== 'MemberExpression') return null
  const object = nodeOf(callee, 'object')
  if (object?.type === 'CallExpression') return readCall({ source: readNothing, node: object })
  return { name: nameOf(nodeOf(callee, 'property')), given: nodesOf(node, 'arguments') }
}

const readNothing: Source = { text: '', body: [], textOf: () => '', docBefore: () => '' }

function presetText({ source, node }: Found, kind: string): string {
  const text = (node.type === 'Literal' && nameOf(node)) || source.textOf(node)
  if (kind === 'duration' || kind === 'undockDuration') return `${text}s`
  if (kind === 'size') return text.replace(/ \* MIB$/, 'MiB')
  return text
}

/** A page with a section for each table of a settings file. */
export function settingsPage(title: string, intro: string, fields: readonly Field[], prefix: string): string {
  const tables = Map.groupBy(fields, ({ path }) =>
    path
      .split('.')
      .slice(0, path.includes('.') ? 1 : 0)
      .join('.'),
  )
  const sections = [...tables].map(([table, some]) => {
    const rows = some.map(
      ({ path, kind, preset, doc }) =>
        `| ${codeCell(path)} | ${cell(kind)} | ${preset === '' ? '' : codeCell(preset)} | ${cell(doc.replace(/\s*@see[\s\S]*/, ''))}${variableOf(path, prefix)} |`,
    )
    return `## ${table === '' ? 'The file itself' : `[${table}]`}\n\n| key | value | default | |\n|---|---|---|---|\n${rows.join('\n')}\n`
  })
  return `# ${title}\n\n${intro}\n\n${sections.join('\n')}`
}

const variableOf = (path: string, prefix: string): string =>
  prefix === '' ? '' : ` \`${prefix}_${path.replaceAll('.', '_').toUpperCase()}\``
