import { join } from 'node:path'
import { type Node, nameOf, nodeOf, nodesOf, prose, readSource, type Source } from './source.ts'

/** What a project imports, with the types that its signatures name. */
const PARTS = [
  ['undock', 'test-kit/start-stack.ts', ['startStack']],
  ['', 'test-kit/test-stack.ts', ['TestStackOptions', 'TestStack']],
  ['', 'runtime/stack/options.ts', ['PublicStackOptions']],
  ['', 'runtime/stack/public-stack.ts', ['PublicStack']],
  ['', 'test-kit/users.ts', ['UserOptions', 'TestUser']],
  ['', 'test-kit/mails.ts', ['MailOptions', 'TestMail']],
  ['', 'test-kit/wait-until.ts', ['WaitOptions']],
  ['undock/vitest', 'test-kit/vitest.ts', ['stackTest', 'StackTestOptions', 'test']],
  ['undock/playwright', 'test-kit/playwright.ts', ['stackTest', 'StackTestOptions', 'test']],
] as const

/** The library from its declarations: signatures, types and their comments. */
export function libraryPage(source: string): string {
  const sections = PARTS.map(([title, file, names]) => {
    const code = readSource(join(source, file))
    const parts = names.map((name) => partOf(code, name))
    return `${title === '' ? '' : `## ${title}\n\n`}${parts.join('\n')}`
  })
  return `# Library

\`npm install --save-dev undock\`. Node 22.18 or newer; types come with the package.

${sections.join('\n')}`
}

function partOf(source: Source, name: string): string {
  const statement = source.body.find((one) => declaredName(nodeOf(one, 'declaration') ?? one) === name)
  const declaration = statement && nodeOf(statement, 'declaration')
  if (!statement || !declaration) throw new Error(`The library no longer exports ${name}`)
  const [text, ...tags] = source.docBefore(statement).split(/\n(?=\s*@)/)
  const about = tags.map((tag) => `- ${tag.trim().replace(/^@(\w+)/, '*$1*')}`).join('\n')
  const code = `\`\`\`ts\n${signature(source, declaration)}\n\`\`\``
  return `${[`### ${name}`, docText(text ?? ''), prose(about), code].filter(Boolean).join('\n\n')}\n`
}

/** A doc comment as Markdown: an indented example becomes a block of code. */
const docText = (text: string): string =>
  text
    .split(/\n\n/)
    .map((part) => (/^ {4}/.test(part) ? `\`\`\`ts\n${part.replaceAll(/^ {4}/gm, '')}\n\`\`\`` : prose(part)))
    .join('\n\n')

function declaredName(declaration: Node): string {
  const [first] = nodesOf(declaration, 'declarations')
  return nameOf(nodeOf(first ?? declaration, 'id'))
}

/** The code of a declaration without the body of a function. */
function signature(source: Source, declaration: Node): string {
  const body = nodeOf(declaration, 'body')
  if (declaration.type === 'FunctionDeclaration' && body) return source.text.slice(declaration.start, body.start).trim()
  const value = nodeOf(nodesOf(declaration, 'declarations')[0] ?? declaration, 'init')
  const work = value?.type === 'ArrowFunctionExpression' ? nodeOf(value, 'body') : null
  return work === null ? source.textOf(declaration) : source.text.slice(declaration.start, work.start).trim()
}
