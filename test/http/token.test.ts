import { sign } from 'hono/jwt'
import { describe, expect, it } from 'vitest'
import { send } from './send.ts'
