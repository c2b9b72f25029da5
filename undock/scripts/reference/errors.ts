import { globSync } from 'node:fs'
import { join } from 'node:path'
import { AUTH_ERRORS } from '../../src/auth/error-catalogue.ts'
import {
  bare,
  cell,
  constantsOf,
  literalText,
  type Node,
  nameOf,
  nodeOf,
  nodesOf,
  prose,
  readSource,
  type Source,
  walk,
} from './source.ts'

/** The errors that undock itself answers with, from the catalogues of its services. */
export function errorsPage(source: string): string {
  return `---
outline: 2
---

# Errors

Generated from the code. Codes, statuses and texts of the services are upstream's, so advice about a Supabase error applies here too. Postgres
errors keep their own code (SQLSTATE) and text.

${dataApi(source)}
${engine(source)}
${auth()}
${list(source, 'Storage', 'storage/errors.ts', 3)}
${list(source, 'Realtime', 'realtime/errors.ts', 2)}
${nodes(source)}`
}

const catalogueOf = (source: Source): Node[] => {
  const catalogue = constantsOf(source).get('CATALOGUE')
  return catalogue === undefined ? [] : nodesOf(catalogue, 'properties')
}

function dataApi(folder: string): string {
  const source = readSource(join(folder, 'rest/errors.ts'))
  const sections = catalogueOf(source).map((one) => {
    const value = nodeOf(one, 'value')
    const [status, message] = value === null ? [] : nodesOf(value, 'elements')
    const body = message && nodeOf(message, 'body')
    const text = literalText(source, body)
    // Some codes have a text for each cause.
    const says = text === '⟨message⟩' ? 'The message says what is wrong.' : `"${prose(text)}"`
    return `### ${nameOf(nodeOf(one, 'key'))}\n\nStatus ${nameOf(status ?? null)}. ${says}\n`
  })
  return `## Data API\n\nWith \`explain = true\` in undock.toml, the hint of a refusal (42501) and the header \`undock-explain\` of an empty answer name the
grant or policy that decided. \`undock explain\` does the same without that setting.\n\n${sections.join('\n')}`
}

/** The errors of the engine itself: each is a function with its code in the comment. */
function engine(folder: string): string {
  const source = readSource(join(folder, 'database/protocol/errors.ts'))
  const errors = source.body.flatMap((one) => {
    const [, code, cause] = /^([0-9A-Z]{5})[:,] (.*)$/s.exec(source.docBefore(one)) ?? []
    if (code === undefined || cause === undefined) return []
    const call = [...walk(one)].find(({ type, ...node }) => type === 'CallExpression' && callsDatabaseError(node))
    const [message, , hint] = call ? nodesOf(call, 'arguments') : []
    const quoted = message ? ` "${prose(literalText(source, message))}"` : ''
    const sentence = [...walk(one)].find(({ value }) => /^[A-Z].*\.$/.test(String(value)))
    const remedy = prose(literalText(source, hint ?? (call ? undefined : sentence))).replace(/^…$/, '')
    return [
      { code, text: `-${quoted} (${prose(cause).replace(/\.$/, '').replaceAll('\n', ' ')}). ${remedy}`.trimEnd() },
    ]
  })
  const sections = [...Map.groupBy(errors, ({ code }) => code)].map(
    ([code, some]) => `### ${code}\n\n${some.map(({ text }) => text).join('\n')}\n`,
  )
  return `## Database\n\nErrors that undock itself returns, in the format of Postgres errors.\n\n${sections.join('\n')}`
}

const callsDatabaseError = (node: object): boolean => nameOf(nodeOf(node, 'callee')) === 'databaseError'

function auth(): string {
  const byCode = Map.groupBy(Object.values(AUTH_ERRORS), ([, code]) => code)
  const rows = [...byCode]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([code, errors]) => {
      const statuses = [...new Set(errors.map(([status]) => status))].join(', ')
      return `| \`${code}\` | ${statuses} | ${errors.map(([, , text]) => cell(text.replaceAll('%s', '…'))).join('<br>')} |`
    })
  return `## Auth\n\n| code | status | texts |\n|---|---|---|\n${rows.join('\n')}\n`
}

/** @param width How many elements an entry of the catalogue has: status first, text last. */
function list(folder: string, title: string, file: string, width: number): string {
  const source = readSource(join(folder, file))
  const rows = catalogueOf(source).map((one) => {
    const value = nodeOf(one, 'value')
    const elements = value === null ? [] : nodesOf(bare(value), 'elements')
    const text = elements[width - 1]
    return `| \`${nameOf(nodeOf(one, 'key'))}\` | ${nameOf(elements[0] ?? null)} | ${cell(literalText(source, text))} |`
  })
  return `## ${title}\n\n| code | status | text |\n|---|---|---|\n${rows.join('\n')}\n`
}

/** What `undock serve` refuses to start with: every place of the code that names a problem and its remedy. */
function nodes(folder: string): string {
  const rows = globSync('runtime/serve/*.ts', { cwd: folder, exclude: ['**/*.test.ts'] })
    .toSorted()
    .flatMap((file) => {
      const source = readSource(join(folder, file))
      return source.body
        .flatMap((one) => [...walk(one)])
        .flatMap((node) => {
          if (node.type !== 'ObjectExpression') return []
          const parts = new Map(
            nodesOf(node, 'properties').map((one) => [nameOf(nodeOf(one, 'key')), nodeOf(one, 'value')] as const),
          )
          const [what, remedy] = [parts.get('what'), parts.get('remedy')]
          if (!what || !remedy || !/Literal$/.test(what.type)) return []
          return [`| ${cell(literalText(source, what))} | ${cell(literalText(source, remedy))} |`]
        })
    })
  return `## undock serve\n\nIf something is missing, a node lists all of it and exits with 1.\n\n| what | what to do |\n|---|---|\n${rows.join('\n')}\n`
}
