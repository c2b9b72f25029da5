import { queryOptions } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api, refresh } from '../../lib/api.ts'

export type Address = { readonly Name: string; readonly Address: string }
export type Part = {
  readonly PartID: string
  readonly FileName: string
  readonly ContentType: string
  readonly Size: number
}

/** A mail in the list, with the fields of Mailpit's API. */
export type MailSummary = {
  readonly ID: string
  readonly Read: boolean
  readonly From: Address
  readonly To: readonly Address[]
  readonly Subject: string
  readonly Created: string
  readonly Snippet: string
  readonly Attachments: number
}

export type Mail = {
  readonly ID: string
  readonly From: Address
  readonly To: readonly Address[]
  readonly Cc: readonly Address[]
  readonly Bcc: readonly Address[]
  readonly ReplyTo: readonly Address[]
  readonly Subject: string
  readonly Date: string
  readonly Text: string
  readonly HTML: string
  readonly Size: number
  readonly Attachments: readonly Part[]
}

type MailList = {
  readonly total: number
  readonly unread: number
  readonly messages_count: number
  readonly messages: readonly MailSummary[]
}

/** As many as the inbox keeps. */
const ALL = 500

export const mailsQuery = (search: string) =>
  queryOptions({
    queryKey: ['mails', search],
    queryFn: ({ signal }) =>
      api<MailList>(
        search ? `/mail/v1/search?query=${encodeURIComponent(search)}&limit=${ALL}` : `/mail/v1/messages?limit=${ALL}`,
        { signal },
      ),
  })

/** A whole mail. Fetching marks it as read. */
export const mailQuery = (id: string) =>
  queryOptions({
    queryKey: ['mail', id],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => api<Mail>(`/mail/v1/message/${encodeURIComponent(id)}`, { signal }),
  })

export const sourceQuery = (id: string) =>
  queryOptions({
    queryKey: ['mail', id, 'source'],
    queryFn: ({ signal }) => api<string>(`/mail/v1/message/${encodeURIComponent(id)}/raw`, { signal }),
  })

export const refreshMails = (): Promise<void> => refresh(['mails'])

/** @param ids Empty for all mails. */
export const deleteMails = (ids: readonly string[]): Promise<unknown> =>
  api('/mail/v1/messages', { method: 'DELETE', body: { IDs: ids } })

export const setRead = (ids: readonly string[], isRead: boolean): Promise<unknown> =>
  api('/mail/v1/messages', { method: 'PUT', body: { IDs: ids, Read: isRead } })

/** Refetches the list when a mail arrives or changes. */
export function useLiveMails(): void {
  useEffect(() => {
    const events = new EventSource('/api/mail/events')
    for (const type of ['open', 'added', 'changed', 'removed']) events.addEventListener(type, () => void refreshMails())
    return () => events.close()
  }, [])
}

/** The URL of a mail as HTML that loads and runs nothing. */
export const frameUrl = (id: string): string => `/api/mail/view/${encodeURIComponent(id)}.html`

export const partUrl = (id: string, { PartID }: Part): string =>
  `/api/mail/v1/message/${encodeURIComponent(id)}/part/${encodeURIComponent(PartID)}`

export const addressText = ({ Name, Address: address }: Address): string => (Name ? `${Name} <${address}>` : address)
