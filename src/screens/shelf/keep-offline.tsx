import { useQueryClient } from '@tanstack/react-query'
import { CircleCheck, CloudDownload, LoaderCircle, RotateCw, Trash2, TriangleAlert } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Menu, MenuItem } from '../../components/menu.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { type PinState, pinCollection, refreshPins, unpinCollection, usePin } from '../shell/pinned-collections.ts'

export function KeepOffline({ library, collection }: { library: string; collection: string }) {
  const queryClient = useQueryClient()
  const state = usePin(collection)
  // The cache is missing without TLS.
  if (!('caches' in globalThis)) return null
  if (!state) {
    return (
      <Button
        icon={CloudDownload}
        look="quiet"
        size="small"
        onClick={() => pinCollection(library, collection, queryClient)}
      >
        {t('Keep offline')}
      </Button>
    )
  }
  return (
    <Menu
      align="start"
      label={state.step === 'failed' ? state.reason : t('On this device')}
      trigger={
        <Button look="quiet" size="small">
          <StateIcon step={state.step} />
          <span aria-live="polite">{labelOf(state)}</span>
        </Button>
      }
    >
      {state.step === 'updating' ? null : (
        <MenuItem icon={RotateCw} onSelect={() => refreshPins(queryClient)}>
          {t('Update')}
        </MenuItem>
      )}
      <MenuItem icon={Trash2} onSelect={() => unpinCollection(collection, queryClient)}>
        {t('Remove from this device')}
      </MenuItem>
    </Menu>
  )
}

function StateIcon({ step }: Pick<PinState, 'step'>) {
  switch (step) {
    case 'updating':
      return <LoaderCircle aria-hidden className="animate-spin" />
    case 'here':
      return <CircleCheck aria-hidden className="text-accent" />
    case 'failed':
      return <TriangleAlert aria-hidden className="text-danger" />
  }
}

function labelOf(state: PinState): string {
  switch (state.step) {
    case 'updating':
      return state.total
        ? t('Saving for offline use: {percent} %', { percent: Math.round((100 * state.done) / state.total) })
        : t('Saving for offline use…')
    case 'here':
      return t('Available offline')
    case 'failed':
      return t('Only part of it is stored')
  }
}
