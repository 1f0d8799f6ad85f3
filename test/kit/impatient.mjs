/** The service, which waits for a frozen worker only as long as a test does. */
import { serve } from '../../dist/modules/process/serve.js';

process.exit(await serve(process.env, Number(process.env.TEST_PATIENCE)));
