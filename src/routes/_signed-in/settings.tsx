import { createFileRoute } from '@tanstack/react-router'
import { SettingsLayout } from '../../screens/settings/settings-layout.tsx'

export const Route = createFileRoute('/_signed-in/settings')({ component: SettingsLayout })
