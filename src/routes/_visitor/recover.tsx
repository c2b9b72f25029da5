import { createFileRoute } from '@tanstack/react-router'
import { RecoverScreen } from '../../screens/account/recover-screen.tsx'

export const Route = createFileRoute('/_visitor/recover')({ component: RecoverScreen })
