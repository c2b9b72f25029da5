import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { t } from '../lib/i18n/i18n.ts'
import { Button } from './button.tsx'
import { Input } from './input.tsx'

export function CopyField({ label, value }: { label: string; value: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value)
      setCopied(true)
    } catch {
      // If the browser denies clipboard access, the text can still be selected.
      setCopied(false)
    }
  }
  return (
    <div className="flex gap-2">
      <Input
        readOnly
        aria-label={label}
        value={value}
        onFocus={(event) => event.target.select()}
        className="min-w-0 font-mono text-xs"
      />
      <Button icon={copied ? Check : Copy} onClick={() => void copy()} aria-live="polite">
        {copied ? t('Copied') : t('Copy')}
      </Button>
    </div>
  )
}
