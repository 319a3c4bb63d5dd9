import { registerHooks } from 'node:module'

/** Examples take the SDK by its name, which is what `npm run build:client` makes; in tests it is that of the sources. */
const sdk = new URL('../../src/client/index.ts', import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'rheo-edge/client' ? { url: sdk, shortCircuit: true } : next(specifier, context),
})
