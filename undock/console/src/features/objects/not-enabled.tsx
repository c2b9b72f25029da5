import { Boxes } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/states.tsx'
import type { SqlChange } from '../schema/table-changes.ts'

type NotEnabledProps = { extension: string; about: string; onEnable: (change: SqlChange) => void }

/** Explains an extension and suggests the migration that enables it. */
export function NotEnabled({ extension, about, onEnable }: NotEnabledProps) {
  const enable = () =>
    onEnable({
      title: `Enable ${extension}`,
      sql: `create extension if not exists ${extension};`,
      name: `enable_${extension}`,
    })
  return (
    <Empty
      icon={Boxes}
      title={`The extension ${extension} is not enabled`}
      action={
        <Button look="primary" onClick={enable}>
          Enable {extension}
        </Button>
      }
    >
      {about}
    </Empty>
  )
}
