/** Tests in Chromium, with a service whose pages they open. */
import { afterAll, beforeAll, describe } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { delivering } from '../kit/receiver.ts';
import { type Service, startService } from '../kit/service.ts';
import { hasChromium, launch } from './chromium.ts';

/** What all tests of a suite have in common, from before the first of them until after the last. */
export class Scene {
  #service: Service | undefined;
  #browser: Browser | undefined;

  get service(): Service {
    if (!this.#service) throw new Error('the service starts before the first test');
    return this.#service;
  }

  get browser(): Browser {
    if (!this.#browser) throw new Error('the browser starts before the first test');
    return this.#browser;
  }

  async start(): Promise<void> {
    this.#service = await startService({ env: delivering });
    this.#browser = await launch();
  }

  async close(): Promise<void> {
    await this.#browser?.close();
    await this.#service?.close();
  }
}

/** Describes tests that open pages; they are skipped where there is no Chromium. */
export function browserSuite(name: string, tests: (scene: Scene) => void): void {
  const suite = hasChromium() ? describe : describe.skip;
  suite(name, () => {
    const scene = new Scene();
    beforeAll(() => scene.start());
    tests(scene);
    afterAll(() => scene.close());
  });
}
