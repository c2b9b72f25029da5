import { expect } from '@playwright/test'
import { z } from 'zod'

const Messages = z.object({
  messages: z.array(z.object({ ID: z.string(), Subject: z.string(), To: z.array(z.object({ Address: z.string() })) })),
})
const Message = z.object({ HTML: z.string(), Text: z.string() })

export type Mail = { subject: string; text: string; link: string; code: string }

/** Reads the backend's sent mails from its inbox over HTTP. */
export class Mailbox {
  readonly #url: string
  readonly #read = new Set<string>()

  constructor(url: string) {
    this.#url = url
  }

  async nextTo(address: string): Promise<Mail> {
    let id = ''
    let subject = ''
    await expect
      .poll(
        async () => {
          const { messages } = Messages.parse(await this.#get('/api/v1/messages?limit=200'))
          const mail = messages.find(({ ID, To }) => {
            return !this.#read.has(ID) && To.some(({ Address }) => Address.toLowerCase() === address.toLowerCase())
          })
          id = mail?.ID ?? ''
          subject = mail?.Subject ?? ''
          return id
        },
        { message: `a mail to ${address}` },
      )
      .not.toBe('')
    this.#read.add(id)
    const { HTML, Text } = Message.parse(await this.#get(`/api/v1/message/${id}`))
    const link = /href="([^"]*)"/.exec(HTML)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const code = /(?<![\w-])\d{6}(?![\w-])/.exec(Text || HTML.replaceAll(/<[^>]*>/g, ' '))?.[0] ?? ''
    return { subject, text: Text, link, code }
  }

  async #get(path: string): Promise<unknown> {
    const response = await fetch(this.#url + path)
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
}
