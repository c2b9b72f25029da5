import { useState } from 'react'
import { failureText } from '../../domain/failure.ts'
import { EdgeFunctionError } from '../../lib/backend/edge-function-error.ts'
import { env } from '../../lib/backend/env.ts'
import { formatBytes } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import type { OpenRequest } from './queries.ts'

export type Sender = { sender: string; address: string; message: string }
export type Sending = {
  readonly id: string
  readonly file: File
  readonly step: 'chosen' | 'sending' | 'sent' | 'failed'
  /** Bytes. */
  readonly sent: number
  readonly reason?: string
}

/** Sends files through a request's link, one at a time. */
export function useSending(token: string, { largest_bytes: largest }: Pick<OpenRequest, 'largest_bytes'>) {
  const [files, setFiles] = useState<readonly Sending[]>([])
  const change = (id: string, next: Partial<Sending>) =>
    setFiles((all) => all.map((one) => (one.id === id ? { ...one, ...next } : one)))
  const add = (chosen: readonly File[]) => {
    const added = chosen.map((file): Sending => {
      const place = { id: crypto.randomUUID(), file, sent: 0 }
      if (file.size <= largest) return { ...place, step: 'chosen' }
      const reason = t('This file is {size}; the limit here is {limit}.', {
        size: formatBytes(file.size),
        limit: formatBytes(largest),
      })
      return { ...place, step: 'failed', reason }
    })
    setFiles((all) => [...all, ...added])
  }
  const send = async (sender: Sender) => {
    for (const { id, file } of files.filter(({ step }) => step === 'chosen')) {
      change(id, { step: 'sending', sent: 0 })
      try {
        await sendFile(file, { ...sender, token, name: file.name }, (sent) => change(id, { sent }))
        change(id, { step: 'sent' })
      } catch (error) {
        change(id, { step: 'failed', reason: failureText(error) })
      }
    }
  }
  const remove = (id: string) => setFiles((all) => all.filter((one) => one.id !== id))
  return { files, add, send, remove }
}

/** XMLHttpRequest is the only way to get upload progress. */
async function sendFile(file: File, about: object, onSent: (bytes: number) => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const request = new XMLHttpRequest()
  request.open('POST', `${env.supabaseUrl}/functions/v1/receive-file`)
  request.setRequestHeader('apikey', env.publishableKey)
  request.setRequestHeader('content-type', 'application/octet-stream')
  request.setRequestHeader('x-file', inBase64(JSON.stringify(about)))
  request.upload.onprogress = ({ loaded }) => onSent(loaded)
  request.onload = () => (request.status < 300 ? resolve() : reject(refusalIn(request)))
  request.onerror = () => reject(new TypeError('Failed to fetch'))
  request.send(file)
  return promise
}

const inBase64 = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''))

function refusalIn({ status, responseText }: XMLHttpRequest): EdgeFunctionError {
  try {
    return new EdgeFunctionError(status, JSON.parse(responseText))
  } catch {
    return new EdgeFunctionError(status, { message: '' }, false)
  }
}
