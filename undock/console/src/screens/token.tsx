import { useState } from 'react'
import { Field, TextArea } from '../components/field.tsx'
import { Page } from '../components/page.tsx'
import { TokenView } from '../features/users/token-view.tsx'

/** Decodes and verifies a token. It stays in this page: it's in no address and no storage. */
export function TokenScreen() {
  const [text, setText] = useState('')
  const token = text.trim().replace(/^Bearer\s+/i, '')
  return (
    <Page title="Check a token">
      <div className="mx-auto grid max-w-3xl gap-4 p-4">
        <Field label="Token or API key" hint="An access token, with or without “Bearer”, or one of the project's keys.">
          {(id) => (
            <TextArea
              id={id}
              rows={5}
              className="break-all font-mono text-xs"
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
          )}
        </Field>
        {token ? <TokenView token={token} /> : null}
      </div>
    </Page>
  )
}
