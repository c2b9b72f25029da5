import { randomUUID } from 'node:crypto'
import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { z } from 'zod'
import type { TomlValue } from '../config/edit-toml.ts'
import { setValues } from '../config/read-toml.ts'
import type { DescribedTemplate, MailTemplates, OwnTemplate } from '../kernel/mail-templates.ts'
import { ifMissing } from '../kernel/promises.ts'
import { ServiceError } from '../kernel/service-error.ts'
import { type ConfigFile, withoutSecrets } from './config-file.ts'

/** @property path The file, relative to the project's folder; null for a default template. */
export type ShownTemplate = Pick<DescribedTemplate, 'kind' | 'section' | 'current' | 'fields'> & {
  readonly path: string | null
  readonly isEnabled: boolean
}
export type ShownTemplates = { readonly isHooked: boolean; readonly templates: readonly ShownTemplate[] }

/** A file before and after a change; `before` is null for a new one. */
export type FileChange = { readonly path: string; readonly before: string | null; readonly after: string }

const MAX_TEXT_LENGTH = 500_000
export const TemplateDraft = z.strictObject({
  kind: z.string(),
  subject: z.string().max(2_000),
  content: z.string().max(MAX_TEXT_LENGTH),
})
export const TemplateChange = TemplateDraft.extend({ isEnabled: z.boolean() })
export const SampleMail = z.strictObject({ kind: z.string(), to: z.email() })
type TemplateChange = z.infer<typeof TemplateChange>

export type TemplateEditor = {
  list(): ShownTemplates
  /** @returns the subject, and the page's name for `view`. @throws {ServiceError} */
  preview(draft: z.infer<typeof TemplateDraft>): { readonly subject: string; readonly page: string }
  /** Returns one of the last previews. Nothing in it runs or loads. */
  view(page: string): Response
  /** Previews writing a template. @throws {ServiceError} */
  changes(change: TemplateChange): Promise<readonly FileChange[]>
  /** Writes a template's file and its section in config.toml, for the next mail. @throws {ServiceError} */
  write(change: TemplateChange): Promise<readonly FileChange[]>
  sendSample(sample: z.infer<typeof SampleMail>): Promise<void>
}

/** @param templates Null without Auth. */
export function createTemplateEditor(
  templates: MailTemplates | null,
  config: ConfigFile,
  supabaseFolder: string,
): TemplateEditor {
  const folder = dirname(supabaseFolder)
  const pages = new Map<string, string>()
  const auth = (): MailTemplates => {
    if (!templates)
      throw new ServiceError('not_found', 404, 'This backend has no Auth: it is turned off in supabase/config.toml')
    return templates
  }
  const find = (kind: string): DescribedTemplate => {
    const found = auth()
      .list()
      .find((one) => one.kind === kind)
    if (!found) throw new ServiceError('not_found', 404, `Auth sends no mail "${kind}"`)
    return found
  }

  /** @property toml The new config.toml; null if unchanged. */
  type Plan = { readonly toml: string | null; readonly changes: readonly FileChange[]; readonly own: OwnTemplate }

  async function plan(change: TemplateChange): Promise<Plan> {
    const template = find(change.kind)
    auth().render(change.kind, change)
    const own = changedTemplate(template, change, supabaseFolder)
    const values = tomlValues(template, own, folder, supabaseFolder)
    const table = ['auth', 'email', template.section, change.kind]
    const changes: FileChange[] = []
    let toml: string | null = null
    if (Object.keys(values).length > 0) {
      const refusal = await config.refusal()
      if (refusal !== null) throw new ServiceError('not_editable', 422, refusal)
      const before = await config.read()
      const path = config.path()
      toml = setValues(path, before, table, values)
      if (toml === null) throw notEditable(table, values)
      changes.push({ path, before: withoutSecrets(before, path), after: withoutSecrets(toml, path) })
    }
    if (own.contentPath !== null) {
      if (!(await isWithin(folder, own.contentPath)))
        throw new ServiceError(
          'outside',
          422,
          `${own.contentPath} is outside of the project's folder: change it there.`,
        )
      const path = relative(folder, own.contentPath).replaceAll(sep, '/')
      changes.unshift({ path, before: await readOptional(own.contentPath), after: change.content })
    }
    return { toml, changes: changes.filter((one) => one.before !== one.after), own }
  }

  return {
    list: () => ({
      isHooked: auth().isHooked,
      templates: auth()
        .list()
        .map(({ kind, section, own, current, fields }) => ({
          kind,
          section,
          current,
          fields,
          path: own.contentPath === null ? null : relative(folder, own.contentPath).replaceAll(sep, '/'),
          isEnabled: own.isEnabled,
        })),
    }),
    preview({ kind, ...text }) {
      const { subject, html } = auth().render(kind, text)
      const page = randomUUID()
      pages.set(page, html)
      for (const oldest of [...pages.keys()].slice(0, -MAX_PREVIEWS)) pages.delete(oldest)
      return { subject, page }
    },
    view(page) {
      const html = pages.get(page)
      if (html === undefined) throw new ServiceError('not_found', 404, 'This preview has expired')
      return new Response(html, { headers: PAGE_HEADERS })
    },
    changes: async (change) => (await plan(change)).changes,
    write: (change) =>
      config.inTurn(async () => {
        const { toml, changes, own } = await plan(change)
        for (const { path, after } of changes) {
          if (path === config.path()) continue
          await mkdir(dirname(join(folder, path)), { recursive: true })
          await writeFile(join(folder, path), after)
        }
        if (toml !== null) await config.write(toml)
        auth().set(change.kind, own)
        return changes
      }),
    sendSample: ({ kind, to }) => auth().sendSample(kind, to),
  }
}

/** Previews kept, about one per open tab. */
const MAX_PREVIEWS = 20

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; form-action 'none'; frame-ancestors 'self'",
  'x-frame-options': 'SAMEORIGIN',
}

function notEditable(table: readonly string[], values: Readonly<Record<string, TomlValue>>): ServiceError {
  const lines = Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
  return new ServiceError(
    'not_editable',
    422,
    `undock cannot edit this part of the configuration in supabase/. Set ${lines.join(' and ')} in [${table.join('.')}] yourself, and restart the backend.`,
  )
}

/** A template's location after a change: a default text needs no entry in config.toml. */
function changedTemplate(
  { own, current }: DescribedTemplate,
  change: TemplateChange,
  supabaseFolder: string,
): OwnTemplate {
  const place = join(supabaseFolder, 'templates', `${change.kind}.html`)
  return {
    subject: change.subject === current.subject ? own.subject : change.subject,
    contentPath: own.contentPath ?? (change.content === current.content ? null : place),
    isEnabled: change.isEnabled,
  }
}

/** Returns the changes to config.toml that a template needs. As in the CLI, paths are relative to the project's folder for templates, and
 *  to `supabase/` for notifications. */
function tomlValues(
  { section, own }: DescribedTemplate,
  next: OwnTemplate,
  folder: string,
  supabaseFolder: string,
): Record<string, TomlValue> {
  const path = next.contentPath
  const base = section === 'template' ? folder : supabaseFolder
  return {
    ...(section === 'notification' && next.isEnabled !== own.isEnabled ? { enabled: next.isEnabled } : {}),
    ...(next.subject !== null && next.subject !== own.subject ? { subject: next.subject } : {}),
    ...(path !== null && path !== own.contentPath
      ? { content_path: `./${relative(base, path).replaceAll(sep, '/')}` }
      : {}),
  }
}

/** Whether a file, even one that doesn't exist yet, is in a folder after resolving links. */
async function isWithin(folder: string, path: string): Promise<boolean> {
  const inner = relative(folder, path)
  if (inner.startsWith('..') || isAbsolute(inner)) return false
  let place = path
  for (;;) {
    const real = await realpath(place).catch(() => null)
    if (real !== null) return (real + sep).startsWith((await realpath(folder)) + sep)
    place = dirname(place)
  }
}

const readOptional = (path: string): Promise<string | null> => readFile(path, 'utf8').catch(ifMissing(null))
