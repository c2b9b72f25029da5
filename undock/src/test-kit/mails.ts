import { z } from 'zod'
import { type WaitOptions, waitUntil } from './wait-until.ts'

export type TestMail = {
  readonly id: string
  readonly subject: string
  readonly html: string
  readonly text: string
  /** The link to confirm, sign in or reset with; else the first one; empty when there is none. */
  readonly link: string
  /** The six-digit code next to it; empty when there is none. */
  readonly code: string
  /** Opens the link as a browser would.
   *  @returns where it leads, with tokens or errors in query and fragment. */
  follow(): Promise<URL>
}

export type MailOptions = WaitOptions & {
  /** Only a mail with this in its subject. */
  readonly subject?: string
}

const Found = z.object({ messages: z.array(z.object({ ID: z.string(), Subject: z.string() })) })
const Message = z.object({ HTML: z.string(), Text: z.string() })

export async function lastMailTo(inbox: string | null, to: string, options: MailOptions): Promise<TestMail> {
  if (inbox === null) throw new Error('The inbox is turned off: [local_smtp] enabled in supabase/config.toml')
  const search = `${inbox}/api/v1/search?query=${encodeURIComponent(`to:"${to}"`)}`
  const { ID, Subject } = await waitUntil(
    async () => {
      const { messages } = Found.parse(await read(search))
      return messages.find((one) => one.Subject.includes(options.subject ?? ''))
    },
    `a mail to ${to}`,
    options,
  )
  const { HTML, Text } = Message.parse(await read(`${inbox}/api/v1/message/${ID}`))
  const links = [...HTML.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'))
  const link = links.find((one) => one.includes('/auth/v1/verify')) ?? links[0] ?? ''
  return {
    id: ID,
    subject: Subject,
    html: HTML,
    text: Text,
    link,
    code: /(?<![\w-])\d{6}(?![\w-])/.exec(Text || HTML.replaceAll(/<[^>]*>/g, ' '))?.[0] ?? '',
    async follow() {
      const response = await fetch(link, { redirect: 'manual' })
      return new URL(response.headers.get('location') ?? link)
    },
  }
}

async function read(url: string): Promise<unknown> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return response.json()
}
