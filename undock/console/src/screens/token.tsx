import { useState } from 'react'
import { TextArea } from '../components/field.tsx'
import { Page } from '../components/page.tsx'
import { TokenView } from '../features/users/token-view.tsx'

/** Decodes and verifies a token. It stays in this page, out of addresses and storage. */
export function TokenScreen() {
  const [text, setText] = useState('')
  const token = text.trim().replace(/^Bearer\s+/i, '')
  return (
    <Page title="Check a token">
      <div className="mx-auto grid max-w-3xl gap-4 p-4">
        <TextArea
          label="Token or API key"
          hint="An access token, with or without “Bearer”, or one of the project's keys."
          rows={5}
          className="break-all font-mono text-xs"
          value={text}
          onValue={setText}
        />
        {token ? <TokenView token={token} /> : null}
      </div>
    </Page>
  )
}
