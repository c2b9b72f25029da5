import { direction, type MailLanguage } from './language.ts'

/** The content of a mail, in order. All texts are plain and never interpreted as markup. */
export type MailContent = {
  readonly title: string
  readonly paragraphs: readonly string[]
  readonly quote?: string
  readonly entries?: readonly MailEntry[]
  readonly action?: { readonly label: string; readonly url: string }
  readonly code?: { readonly lead: string; readonly value: string }
  /** Why the mail was sent, and what to do if it was a mistake. */
  readonly notes: readonly string[]
}

export type MailEntry = {
  readonly context: string
  readonly title: string
  readonly text: string
  readonly quote?: string
  readonly url: string
}

export function renderText({ paragraphs, quote, entries = [], action, code, notes }: MailContent): string {
  return [
    ...paragraphs,
    ...(quote === undefined ? [] : [quoteLines(quote)]),
    ...[...Map.groupBy(entries, ({ context }) => context)].flatMap(([context, group]) => [
      context,
      ...group.map(({ title, text, quote, url }) =>
        [title, text, ...(quote === undefined ? [] : [quoteLines(quote)]), url].join('\n'),
      ),
    ]),
    ...(action ? [`${action.label}:\n${action.url}`] : []),
    ...(code ? [`${code.lead} ${code.value}`] : []),
    ...notes,
  ].join('\n\n')
}

const quoteLines = (quote: string): string => quote.replaceAll(/^/gm, '> ')

/** Renders a whole page with inline styles. It remains readable without any styles. */
export const renderHtml = (content: MailContent, language: MailLanguage): string =>
  renderPage(language, direction(language), renderBody(content, language))

const LINK_ADVICE: Record<MailLanguage, string> = {
  en: 'If the button does not work, open this address:',
  de: 'Wenn sich der Knopf nicht öffnen lässt, rufen Sie diese Adresse auf:',
  ar: 'إن لم يعمل الزر، فافتح هذا العنوان:',
}

export function renderBody(
  { title, paragraphs, quote, entries = [], action, code, notes }: MailContent,
  language: MailLanguage,
): string {
  const faint = (text: string) => `<p class="faint" style="${FAINT}">${text}</p>`
  return [
    `<h1 dir="auto" style="${TITLE}">${escapeHtml(title)}</h1>`,
    ...paragraphs.map((paragraph) => `<p style="${PARAGRAPH}">${escapeHtml(paragraph)}</p>`),
    ...renderQuote(quote, language),
    ...[...Map.groupBy(entries, ({ context }) => context)].flatMap(([context, group]) => [
      `<h2 class="faint" dir="auto" style="${CONTEXT}">${escapeHtml(context)}</h2>`,
      ...group.flatMap((entry) => renderEntry(entry, language)),
    ]),
    ...(action
      ? [
          `<p style="margin:0 0 24px"><a class="button" href="${escapeHtml(action.url)}" style="${BUTTON}">${escapeHtml(action.label)}</a></p>`,
        ]
      : []),
    ...(code
      ? [
          `<p style="${PARAGRAPH}">${escapeHtml(code.lead)}</p>`,
          `<p class="code" dir="ltr" style="${CODE}">${escapeHtml(code.value)}</p>`,
        ]
      : []),
    `<hr class="rule" style="${RULE}">`,
    ...notes.map((note) => faint(escapeHtml(note))),
    ...(action
      ? [
          faint(
            `${escapeHtml(LINK_ADVICE[language])}<br><span dir="ltr" style="word-break:break-all">${escapeHtml(action.url)}</span>`,
          ),
        ]
      : []),
  ].join('\n')
}

function renderQuote(quote: string | undefined, language: MailLanguage): string[] {
  if (quote === undefined) return []
  const style = quoteStyle(direction(language) === 'rtl' ? 'right' : 'left')
  return [
    `<blockquote class="quote" dir="auto" style="${style}">${escapeHtml(quote).replaceAll('\n', '<br>')}</blockquote>`,
  ]
}

const renderEntry = ({ title, text, quote, url }: MailEntry, language: MailLanguage): string[] => [
  `<p dir="auto" style="${ENTRY_TITLE}"><a class="link" href="${escapeHtml(url)}" style="${LINK}">${escapeHtml(title)}</a></p>`,
  `<p style="${ENTRY_TEXT}">${escapeHtml(text)}</p>`,
  ...renderQuote(quote, language),
]

/** @param lang The page's `lang` attribute. @param dir Its direction, repeated on the content because some mail
 *  programs drop the page around it. @param body From `renderBody`. */
export const renderPage = (lang: string, dir: string, body: string): string => `<!doctype html>
<html lang="${lang}" dir="${dir}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>Carrel</title>
<style>
:root { color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
  .paper { background: #1a1715 !important; }
  .sheet { background: #231f1c !important; border-color: #38332e !important; color: #ebe7e1 !important; }
  .button { background: #7dcca8 !important; color: #081a12 !important; }
  .link { color: #7dcca8 !important; }
  .quote { border-color: #7dcca8 !important; color: #beb8b0 !important; }
  .code { background: #14110f !important; }
  .rule { border-color: #38332e !important; }
  .faint { color: #a7a098 !important; }
}
</style>
</head>
<body class="paper" style="margin:0;padding:0;background:#f8f5f0">
<table role="presentation" class="paper" width="100%" cellpadding="0" cellspacing="0" style="background:#f8f5f0">
<tr><td align="center" style="padding:32px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px">
<tr><td class="sheet" dir="${dir}" style="background:#fefcf9;border:1px solid #ded8cf;border-radius:12px;padding:32px 28px;color:#251f1b;font:16px/1.6 system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif">
<p style="margin:0 0 24px;font:600 18px Georgia,'Times New Roman',serif">Carrel</p>
${body}
</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`

const TITLE = `margin:0 0 16px;font:600 26px/1.25 Georgia,'Times New Roman',serif;overflow-wrap:anywhere`
const PARAGRAPH = 'margin:0 0 16px;overflow-wrap:anywhere'
const quoteStyle = (side: 'left' | 'right') =>
  `margin:0 0 24px;padding:2px 0;padding-${side}:16px;border-${side}:3px solid #195c42;color:#564e47;overflow-wrap:anywhere`
const CONTEXT = 'margin:24px 0 12px;font-size:13px;font-weight:600;color:#6e665e;overflow-wrap:anywhere'
const ENTRY_TITLE = 'margin:0;overflow-wrap:anywhere'
const ENTRY_TEXT = 'margin:0 0 12px;overflow-wrap:anywhere'
const LINK = "font:600 18px/1.35 Georgia,'Times New Roman',serif;color:#195c42"
const BUTTON =
  'display:inline-block;padding:12px 22px;border-radius:8px;background:#195c42;color:#f6fcf7;font-weight:600;text-decoration:none'
const CODE =
  'margin:0 0 24px;padding:12px 16px;border-radius:8px;background:#f1ede5;font:600 26px/1.3 ui-monospace,Menlo,Consolas,monospace;letter-spacing:6px'
const RULE = 'margin:8px 0 20px;border:0;border-top:1px solid #ded8cf'
const FAINT = 'margin:0 0 12px;font-size:13px;line-height:1.5;color:#6e665e;overflow-wrap:anywhere'

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? '')
